import { index, route } from '@react-router/dev/routes';

export default [
  index('routes/home.jsx'),
  route('thanks', 'routes/thanks.jsx'),
  route('offers/*', 'routes/offers.js'), // the relay
];
