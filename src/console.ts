// offerlet/console: the operators' console, for servers that listen on this machine only.

export type { ConsoleOptions } from './operator/console/createApi.ts';
export { createOperatorConsole, type ConsoleVisitor } from './operator/console/createOperatorConsole.ts';
