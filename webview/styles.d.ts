/** Stylesheets are imported for their effect: the bundler puts them into main.css. */
declare module '*.css';
