import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { DATABASE_KINDS } from '../databases.ts';
import { openTestNetwork } from '../testNetwork.ts';
import { type Tenant, openTenant } from './tenant.ts';

const DETAILS = '/adnet/channel/details/';
const READS = [
  DETAILS,
  '/adnet/adconfig/categories/',
  '/adnet/publishers/list/',
  `/adnet/publishers/details/${randomUUID()}/`,
];

describe.each(DATABASE_KINDS)('keys of the Channel API on %s', (kind) => {
  const world = ofSuite(() => openTestNetwork(kind));
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await openTenant(world);
  });

  test('C1 a key of the other environment is a 401 that says so', async () => {
    const { key } = await world.control('POST', '/sandbox/keys', { kind: 'management', environment: 'production' });
    const { status, body } = await tenant.call('GET', DETAILS, undefined, key);
    expect({ status, body }).toEqual({
      status: 401,
      body: { detail: expect.stringMatching(/environment.*does not match.*environment/) },
    });
  });

  test('C2 a publishable key reads', async () => {
    for (const path of READS)
      expect([200, 404], path).toContain((await tenant.call('GET', path, undefined, tenant.keys.publishable)).status);
  });

  test('C3 another channel’s publisher does not exist', async () => {
    const other = await openTenant(world, 'CH2');
    const { publisher } = await other.approved({ brand_name: 'Foreign' });
    const request = await other.add();
    const id = publisher.publisher_remote_id;
    expect((await tenant.call('GET', `/adnet/publishers/details/${id}/`)).status).toBe(404);
    expect((await tenant.call('GET', `/adnet/publishers/details/${request.pending_publisher_id}/`)).status).toBe(404);
    expect((await tenant.call('PUT', `/adnet/publishers/${id}/exclusions/`, { subcategory_ids: [] })).status).toBe(404);
    expect((await tenant.call('DELETE', `/adnet/publishers/${id}/remove/`)).status).toBe(404);
    expect((await tenant.get('/adnet/publishers/list/?q=Foreign')).count).toBe(0);
    expect((await other.get(`/adnet/publishers/details/${id}/`)).publisher.brand_name).toBe('Foreign');
  });
});
