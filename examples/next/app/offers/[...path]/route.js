import { relay } from '../../relay.js';

export const GET = (request) => relay(request);
export { GET as POST, GET as OPTIONS };
