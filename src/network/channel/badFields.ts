/** A 400 of the Channel API: what is wrong, by field (WIRE.md 5). */
export function badFields(fields: Readonly<Record<string, readonly string[]>>): Response {
  return Response.json(fields, { status: 400 });
}

/** The 404 of a publisher: unknown, removed and another channel's look alike (C3). */
export function publisherNotFound(): Response {
  return Response.json({ error: 'Publisher not found for this channel.' }, { status: 404 });
}
