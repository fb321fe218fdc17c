import { A } from '@solidjs/router';

export default () => <A href="/thanks">Place the order</A>;
