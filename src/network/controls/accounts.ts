import * as v from 'valibot';
import { PUBLISHER_STATUSES } from '../../wire/channel.ts';
import { readCategories } from '../channel/channelRoute.ts';
import { changeStatus } from '../channel/publishers.ts';
import { exclusionsBody } from '../channel/routes.ts';
import { type Queries } from '../database/database.ts';
import { KEY_KINDS } from '../context.ts';
import { createKey, revokeKey, rotateKey } from '../storedKeys.ts';
import { createTenant } from '../seed/seed.ts';
import { issueTenantKeys } from '../firstStart.ts';
import {
  control,
  type ControlRoute,
  notFound,
  plainControl,
  refuseBody,
  refuseFields,
  textField,
  timeField,
  uuidField,
} from './control.ts';
import { own, readUuid } from '../../wire/json.ts';
import { markChanged } from '../createProcessCache.ts';
import { readSetting } from '../settings.ts';

const environmentField = v.optional(v.picklist(['staging', 'production'], 'must be staging or production'));

/** Channels, keys, and what the network's staff and the publishers would do. */
export const accounts: readonly ControlRoute[] = [
  control({
    method: 'POST',
    pattern: '/sandbox/channels',
    summary: 'Create another channel with a publisher and keys',
    body: v.object({ name: textField, environment: environmentField }),
    async run({ context, body }) {
      const environment = body.environment ?? context.environment;
      const now = await context.now();
      return context.db.transaction(async (db) => {
        const { channel, publisher } = await createTenant(db, {
          name: body.name,
          environment,
          issuedIn: context.environment,
          now,
        });
        const owner = { channel_id: channel.channel_id, publisher_remote_id: publisher.publisher_remote_id };
        return {
          channel: { name: channel.name },
          publisher,
          keys: (await issueTenantKeys(db, owner, { environment, issuedIn: context.environment })).keys,
        };
      });
    },
  }),
  control({
    method: 'POST',
    pattern: '/sandbox/keys',
    summary: 'Issue a key',
    body: v.object({
      kind: v.picklist(KEY_KINDS, `must be one of ${KEY_KINDS.join(', ')}`),
      publisher_remote_id: v.optional(uuidField),
      expires_at: v.optional(v.nullable(timeField)),
      environment: environmentField,
    }),
    async run({ context, body }) {
      const owner = await findOwner(context.db, body.publisher_remote_id);
      if (!owner) return refuseFields([{ path: 'publisher_remote_id', message: 'must be the id of a publisher' }]);
      const isScoped = body.kind === 'integration' || body.kind === 'publisher_reporting';
      return createKey(context.db, {
        kind: body.kind,
        environment: body.environment ?? context.environment,
        issuedIn: context.environment,
        channelId: owner.channel_id,
        publisherId: isScoped ? owner.publisher_id : null,
        expiresAt: body.expires_at ?? null,
      });
    },
  }),
  plainControl({
    method: 'DELETE',
    pattern: '/sandbox/keys/{id}',
    summary: 'Revoke a key',
    id: 'the key',
    async run({ context, params }) {
      const id = readUuid(params['id']);
      return id !== undefined && (await revokeKey(context.db, { id, issuedIn: context.environment }))
        ? undefined
        : notFound('key in force');
    },
  }),
  plainControl({
    method: 'POST',
    pattern: '/sandbox/keys/{id}/rotate',
    summary: 'Replace a key; the old one is revoked at once',
    id: 'the key',
    async run({ context, params }) {
      const id = readUuid(params['id']);
      return (
        (id !== undefined &&
          (await context.db.transaction((db) => rotateKey(db, { id, issuedIn: context.environment })))) ||
        notFound('key in force')
      );
    },
  }),
  control({
    method: 'POST',
    pattern: '/sandbox/publishers/{id}/status',
    summary: 'Change the status as the network’s staff would; approval returns keys',
    id: 'the publisher or request',
    body: v.object({
      status: v.picklist(PUBLISHER_STATUSES, `must be one of ${PUBLISHER_STATUSES.join(', ')}`),
      staff_notes: v.optional(v.pipe(v.string(), v.maxLength(5_000))),
    }),
    async run({ context, params, body }) {
      const id = readUuid(params['id']);
      const { status, staff_notes } = body;
      const change = {
        status,
        environment: context.environment,
        now: await context.now(),
        ...(staff_notes === undefined ? {} : { staff_notes }),
      };
      return (
        (id !== undefined && (await changeStatus(context.db, { ...change, id }))) || notFound('publisher or request')
      );
    },
  }),
  control({
    method: 'PUT',
    pattern: '/sandbox/publishers/{id}/external-exclusions',
    summary: 'Set the publisher’s own exclusions',
    id: 'the publisher',
    body: v.object({ subcategory_ids: v.array(uuidField) }),
    async run({ context, params, body }) {
      const list = v.safeParse(exclusionsBody(await readCategories(context.db)), body);
      if (!list.success) return refuseBody(list.issues);
      const id = readUuid(params['id']);
      const isChanged = await context.db.transaction(async (db) => {
        const changed = await db.query(
          `UPDATE publishers SET external_exclusions = $2::jsonb WHERE removed_at IS NULL AND (publisher_remote_id = $1 OR pending_publisher_id = $1)
           RETURNING pending_publisher_id`,
          [id ?? null, JSON.stringify([...new Set(list.output.subcategory_ids)])],
        );
        if (changed.length > 0) await markChanged(db, 'publishers');
        return changed.length > 0;
      });
      return isChanged ? { ok: true } : notFound('publisher');
    },
  }),
];

/** A channel and one of its publishers. */
interface Owner {
  readonly channel_id: string;
  readonly publisher_id: string;
}

/** The publisher with this id and its channel; by default the first of each. */
async function findOwner(db: Queries, publisherRemoteId?: string): Promise<Owner | undefined> {
  if (publisherRemoteId === undefined) {
    const first = await readSetting(db, 'first');
    return { channel_id: String(own(first, 'channel_id')), publisher_id: String(own(first, 'publisher_remote_id')) };
  }
  const [row] = await db.query<Owner>(
    'SELECT channel_id, publisher_remote_id AS publisher_id FROM publishers WHERE publisher_remote_id = $1',
    [publisherRemoteId],
  );
  return row;
}
