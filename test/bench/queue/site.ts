import { serve } from '../../fixtures/serve.ts';

/** A site that serves one contender, and a server that records every event that reaches it. */
export interface Site {
  url: string;
  script: string;
  /** Ids in the order of arrival, each as often as it came. */
  arrived: string[];
  isDown: boolean;
  delay: number;
  reset(script: string): void;
  close(): Promise<void>;
}

const PAGE = `<!doctype html><meta charset="utf-8"><title>Bench</title><link rel="icon" href="data:,"><body><script src="/script.js"></script><script>if (!location.search.includes('idle')) start();</script>`;

const SETTINGS = {
  integrations: { 'Segment.io': { apiKey: 'key', protocol: 'http', apiHost: '' } },
  plan: {},
  edgeFunction: {},
  source: {
    id: 'source',
    name: 'bench',
    writeKey: 'key',
    enabled: true,
    workspaceId: 'w',
    config: { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } },
    destinations: [],
    dataplanes: {},
  },
};

/** Starts the site on a free port. */
export async function startSite(): Promise<Site> {
  const server = await serve((request, response) => {
    void (async () => {
      const path = request.url ?? '/';
      if (request.method === 'POST') {
        if (site.isDown) return request.socket.destroy();
        let body = '';
        for await (const part of request) body += String(part);
        const ids = [...new Set(body.match(/ev-[a-z]-?\d+/g))];
        site.arrived.push(...ids);
        await new Promise((done) => setTimeout(done, site.delay));
        response
          .writeHead(path.startsWith('/events') ? 202 : 200, { 'content-type': 'application/json' })
          .end('{"success":true}');
      } else if (path.includes('/settings') || path.includes('/sourceConfig')) {
        SETTINGS.integrations['Segment.io'].apiHost = `${new URL(site.url).host}/v1`;
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(SETTINGS));
      } else if (path === '/script.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(site.script);
      else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    })().catch(() => response.destroy());
  });
  const site: Site = {
    url: server.url,
    script: '',
    arrived: [],
    isDown: false,
    delay: 0,
    reset(script) {
      Object.assign(site, { script, arrived: [], isDown: false, delay: 0 });
    },
    close: () => server.close(),
  };
  return site;
}
