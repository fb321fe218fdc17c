import type { Surface } from './route.ts';

/** An error response in the shape of its surface (docs/wire.md#errors). */
export function surfaceError(
  surface: Surface,
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Response {
  return Response.json(body(surface, status, message), { status, headers: headers ?? {} });
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
