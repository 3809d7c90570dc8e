/** The number that many tools put in front of a line of a file. */
export const LINE_NUMBER = /^\s*(\d{1,9})\s*[→:|\t]/;
