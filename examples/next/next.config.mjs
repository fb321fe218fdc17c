/** As `create-next-app` writes it: pages that were left stay in the document, hidden. */
export default { cacheComponents: true };
