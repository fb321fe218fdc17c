// The element on a page: importing it defines <offer-let>.
import 'offerlet/element';
