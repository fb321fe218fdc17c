// Adds the element to a page: the import defines <offer-let>.
import 'offerlet/element';
