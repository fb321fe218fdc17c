export default { cacheComponents: true }; // as the generator has it: pages that were left stay, hidden
