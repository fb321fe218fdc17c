/** The name of a queue's database, and of its lock: each endpoint has its own, so that no event goes to another relay. */
export function queueName(endpoint: string): string {
  return `offerlet-queue ${endpoint}`;
}
