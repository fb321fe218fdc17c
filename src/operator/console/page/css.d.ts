/** Style sheets are built to a file of their own. */
declare module '*.css';
