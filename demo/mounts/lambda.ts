import { createRelay, type RelayOptions } from 'offerlet/relay';

/** An event of a function URL, or of an HTTP API with payload format 2.0, as far as it is used. */
export interface LambdaEvent {
  readonly rawPath: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string | undefined;
  readonly isBase64Encoded: boolean;
  readonly requestContext: {
    readonly domainName: string;
    readonly stage: string;
    readonly http: { readonly method: string; readonly sourceIp: string };
  };
}

/** What such a function returns. */
export interface LambdaResult {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * The handler of an AWS Lambda function with the relay at /offers: `export const handler = mountOnLambda({…})`. Behind
 * CloudFront, every request comes from there: pass `addressHeader: 'x-forwarded-for'`.
 */
export function mountOnLambda(options: RelayOptions): (event: LambdaEvent) => Promise<LambdaResult> {
  const relay = createRelay({ ...options, basePath: '/offers' });
  return async ({ rawPath, headers, body, isBase64Encoded, requestContext }) => {
    const { domainName, stage, http } = requestContext;
    // The path begins with the stage, unless it is the default one.
    const path = rawPath.startsWith(`/${stage}/`) ? rawPath.slice(stage.length + 1) : rawPath;
    const request = new Request(`https://${domainName}${path}`, {
      method: http.method,
      headers: Object.entries(headers).map(([name, value]) => [name, value ?? '']),
      body: body === undefined ? null : isBase64Encoded ? Buffer.from(body, 'base64') : body,
    });
    const response = await relay(request, { ip: http.sourceIp });
    return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  };
}
