import type { Surface } from '../context.ts';

/** An error in the shape of its surface (WIRE.md 5). */
export function surfaceError(
  surface: Surface,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(body(surface, status, message), { status, headers });
}

function body(surface: Surface, status: number, message: string): unknown {
  switch (surface) {
    case 'reporting':
      return { detail: message };
    case 'channel':
      return status === 404 || status === 409 ? { error: message } : { detail: message };
    case 'partner':
    case 'sandbox':
    case 'page':
      return { message };
  }
}

/** The surface that a path belongs to when no route answers it. */
export function surfaceOf(path: string): Surface {
  if (path.startsWith('/api/') || path.startsWith('/adnet/reporting/') || path.startsWith('/analysis/'))
    return 'reporting';
  if (path.startsWith('/adnet/')) return 'channel';
  return path.startsWith('/sandbox/') ? 'sandbox' : 'partner';
}
