/** A 400 of the Channel API: messages by field (docs/wire.md#errors). */
export function badFields(fields: Readonly<Record<string, readonly string[]>>): Response {
  return Response.json(fields, { status: 400 });
}

/** The 404 of a publisher. It is the same for unknown, removed and other channels' publishers. */
export function publisherNotFound(): Response {
  return Response.json({ error: 'Publisher not found for this channel.' }, { status: 404 });
}
