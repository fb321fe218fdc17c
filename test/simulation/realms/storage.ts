// What a device's browser stores databases in.
export { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
