/** Style sheets are built into a separate file. */
declare module '*.css';
