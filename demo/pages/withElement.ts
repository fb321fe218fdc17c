// Adds the element to a page: the import defines <offer-let>.
import 'offerlet/element';

// QA: the inspector comes with its own import. Offers are requested when the page has loaded.
if (location.search.includes('offerlet=inspect')) await import('offerlet/inspector');
