/** Prints the sum of the numbers on the command line. */

const [first, second] = process.argv.slice(2).map(Number);
console.log(first - second);
