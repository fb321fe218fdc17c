// Events of AWS Lambda, with the fields of the samples in AWS's documentation.
import type { LambdaEvent } from '../../../demo/mounts/lambda.ts';

/** A request to a function, before the service in front of it turns it into an event. */
export interface LambdaCall {
  readonly path: string;
  readonly search: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const ADDRESS = '192.0.2.1';
const PROXIED = { 'x-forwarded-for': ADDRESS, 'x-forwarded-port': '443', 'x-forwarded-proto': 'https' };

/** Payload format 2.0: no `body` where there is none, cookies apart from the headers, the query as it came. */
function payload2(call: LambdaCall, { domainName, stage }: { domainName: string; stage: string }) {
  const { cookie, ...headers } = call.headers;
  const rawPath = stage === '$default' ? call.path : `/${stage}${call.path}`;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString: call.search.slice(1),
    ...(cookie !== undefined && { cookies: cookie.split('; ') }),
    headers: { host: domainName, ...PROXIED, ...headers },
    requestContext: {
      accountId: '123456789012',
      apiId: 'abc',
      domainName,
      domainPrefix: 'abc',
      http: { method: call.method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: ADDRESS, userAgent: 'agent' },
      requestId: 'id',
      routeKey: '$default',
      stage,
      time: '26/Nov/2026:14:00:00 +0000',
      timeEpoch: 1_795_701_600_000,
    },
    isBase64Encoded: false,
  };
}

export function functionUrl(call: LambdaCall): LambdaEvent {
  const event = payload2(call, { domainName: 'abc.lambda-url.eu-central-1.on.aws', stage: '$default' });
  return call.body === null ? event : { ...event, body: call.body };
}

export function httpApi(call: LambdaCall): LambdaEvent {
  const event = payload2(call, { domainName: 'abc.execute-api.eu-central-1.amazonaws.com', stage: 'live' });
  if (call.body === null) return event;
  return { ...event, body: Buffer.from(call.body).toString('base64'), isBase64Encoded: true };
}

/** Payload format 1.0: the query is decoded, what is missing is null, headers are there twice. */
export function restApi({ path, search, method, headers: sent, body }: LambdaCall): LambdaEvent {
  const query = Object.fromEntries(new URLSearchParams(search));
  const isQueried = search !== '';
  const headers = { Host: 'abc.execute-api.eu-central-1.amazonaws.com', ...PROXIED, ...sent };
  return {
    resource: '/{proxy+}',
    path,
    httpMethod: method,
    headers,
    multiValueHeaders: listed(headers),
    queryStringParameters: isQueried ? query : null,
    multiValueQueryStringParameters: isQueried ? listed(query) : null,
    pathParameters: { proxy: path.slice(1) },
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abc',
      domainName: headers.Host,
      httpMethod: method,
      identity: { accessKey: null, sourceIp: ADDRESS, userAgent: 'agent' },
      path: `/live${path}`,
      protocol: 'HTTP/1.1',
      stage: 'live',
    },
    body,
    isBase64Encoded: false,
  } as LambdaEvent;
}

const ELB = { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/lambda/1' } };

/** The query is as it came; a request without a body has an empty one; clients may claim an address before the balancer's. */
export function balancer({ path, search, method, headers, body }: LambdaCall): LambdaEvent {
  return {
    requestContext: ELB,
    httpMethod: method,
    path,
    queryStringParameters: rawQuery(search),
    headers: { host: 'shop.example', ...PROXIED, 'x-forwarded-for': `203.0.113.9, ${ADDRESS}`, ...headers },
    body: body ?? '',
    isBase64Encoded: false,
  };
}

export function multiValueBalancer(call: LambdaCall): LambdaEvent {
  const { headers, queryStringParameters, ...event } = balancer(call) as unknown as Record<string, unknown>;
  return {
    ...event,
    multiValueQueryStringParameters: listed(queryStringParameters as Record<string, string>),
    multiValueHeaders: listed(headers as Record<string, string>),
  } as unknown as LambdaEvent;
}

function rawQuery(search: string): Record<string, string> {
  const pairs = search.slice(1).split('&').filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}

function listed(values: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));
}
