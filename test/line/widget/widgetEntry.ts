export { createLayerHost } from '../../../src/widget/layers/createLayerHost.ts';
export { messagesFor } from '../../../src/widget/messages/messagesFor.ts';
export { mountWidget } from '../../../src/widget/mountWidget.tsx';
