// Sends events as fast as it can and prints which ones were acknowledged: `node writer.mjs <module> <options>`. First it
// prints which ones are stored from earlier runs, and what the report counts.
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';

const [module, options] = process.argv.slice(2);
const { createNetwork } = await import(module);
const { rounds = Infinity, ...place } = JSON.parse(options);
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
let problem;
const log = ({ message }) => message.includes('cannot be written') && (problem = message);
const network = await createNetwork({ seed: 'empty', log, ...place });
const { keys } = network.describe();
const ask = async (path, init = {}) => {
  const response = await network.fetch(new Request(`http://127.0.0.1${path}`, init));
  return { status: response.status, body: await response.json() };
};
const post = (path, body) =>
  ask(path, {
    method: 'POST',
    headers: { 'x-api-key': keys.integration, version: '1.0.0', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

if (problem) say({ problem, health: (await ask('/health')).body.status });
const { body: before } = await ask('/sandbox/events');
const report = await ask('/adnet/reporting/v2/report/?metrics=feed_loads', {
  headers: { 'x-api-key': keys.management },
});
say({ present: before.events.map(({ event }) => event.event_id), loads: report.body.summary?.feed_loads ?? 0 });

for (let round = 0; round < rounds; round += 1) {
  const sessions = [];
  for (let n = 0; n < 3; n += 1) {
    const placement_details = { view: 'THANK_YOU', display_mode: 'INLINE' };
    const { status, body } = await post('/recommendations', { user_details: { phone: '1' }, placement_details });
    if (status !== 200) say({ status });
    sessions.push(body.session_id);
  }
  const events = sessions.map((session_id) => {
    return { event_id: randomUUID(), event_name: 'WIDGET_LOAD', event_datetime: new Date().toISOString(), session_id };
  });
  const { status } = await post('/events/batch', { events });
  if (status === 202) say({ acknowledged: events.map(({ event_id }) => event_id) });
  else say({ status });
}
await network.close();
