import { createRelay, type RelayOptions } from 'offerlet/relay';

type Values = Readonly<Record<string, string | undefined>>;
type Lists = Readonly<Record<string, readonly string[] | undefined>>;

/** An event of a function URL, or of an HTTP API with payload format 2.0, as far as it is used. */
export interface HttpApiEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly cookies?: readonly string[];
  readonly headers: Values;
  readonly body?: string;
  readonly isBase64Encoded: boolean;
  readonly requestContext: {
    readonly domainName: string;
    readonly stage: string;
    readonly http: { readonly method: string; readonly sourceIp: string };
  };
}

/** An event of a REST API (payload format 1.0) or of an Application Load Balancer, as far as it is used. */
export interface ProxyEvent {
  readonly httpMethod: string;
  readonly path: string;
  readonly headers?: Values | null;
  readonly multiValueHeaders?: Lists | null;
  readonly queryStringParameters?: Values | null;
  readonly multiValueQueryStringParameters?: Lists | null;
  readonly body: string | null;
  readonly isBase64Encoded: boolean;
  readonly requestContext: { readonly elb?: object; readonly identity?: { readonly sourceIp: string } };
}

export type LambdaEvent = HttpApiEvent | ProxyEvent;

/** What such a function returns. A load balancer with multi-value headers reads no others. */
export interface LambdaResult {
  readonly statusCode: number;
  readonly headers?: Values;
  readonly multiValueHeaders?: Lists;
  readonly body: string;
}

/**
 * The handler of an AWS Lambda function with the relay at /offers: `export const handler = mountOnLambda({…})`. Behind
 * CloudFront, every request comes from there: pass `addressHeader: 'x-forwarded-for'`.
 */
export function mountOnLambda(options: RelayOptions): (event: LambdaEvent) => Promise<LambdaResult> {
  const relay = createRelay({ ...options, basePath: '/offers' });
  return async (event) => {
    const { path, method, headers, ip } = readEvent(event);
    const { body, isBase64Encoded } = event;
    const request = new Request(`https://${headers.get('host') ?? 'lambda'}${path}`, {
      method,
      headers,
      body: !body || /^(GET|HEAD)$/.test(method) ? null : isBase64Encoded ? Buffer.from(body, 'base64') : body,
    });
    const response = await relay(request, { ip });
    const sent = [...response.headers];
    return {
      statusCode: response.status,
      ...('multiValueHeaders' in event
        ? { multiValueHeaders: Object.fromEntries(sent.map(([name, value]) => [name, [value]])) }
        : { headers: Object.fromEntries(sent) }),
      body: await response.text(),
    };
  };
}

interface Read {
  readonly path: string;
  readonly method: string;
  readonly headers: Headers;
  readonly ip: string | undefined;
}

function readEvent(event: LambdaEvent): Read {
  if ('rawPath' in event) {
    const { rawPath, rawQueryString, cookies, requestContext } = event;
    const { domainName, stage, http } = requestContext;
    const headers = new Headers(listed(event.headers));
    headers.set('host', domainName);
    if (cookies) headers.set('cookie', cookies.join('; '));
    // The path begins with the stage, unless it is the default one.
    const path = rawPath.startsWith(`/${stage}/`) ? rawPath.slice(stage.length + 1) : rawPath;
    return { path: `${path}?${rawQueryString}`, method: http.method, headers, ip: http.sourceIp };
  }
  if (!('httpMethod' in event))
    throw new Error(
      'This is no event of a function URL, an HTTP API, a REST API or a load balancer. Call the function through one of them.',
    );
  const { httpMethod, path, requestContext } = event;
  const headers = new Headers(listed(event.multiValueHeaders ?? event.headers));
  const isBalancer = requestContext.elb !== undefined;
  // An API decodes the query, a load balancer passes it on as it came and appends the address that it saw.
  const query = listed(event.multiValueQueryStringParameters ?? event.queryStringParameters);
  const search = isBalancer ? query.map((pair) => pair.join('=')).join('&') : new URLSearchParams(query);
  const ip = isBalancer ? headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() : requestContext.identity?.sourceIp;
  return { path: `${path}?${String(search)}`, method: httpMethod, headers, ip };
}

function listed(values: Values | Lists | null | undefined): [name: string, value: string][] {
  return Object.entries(values ?? {}).flatMap(([name, value = []]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
}
