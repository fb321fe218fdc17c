/** The interfaces that report errors in different shapes; `sandbox` and `page` use the shape of `partner`. */
export type Surface = 'channel' | 'reporting' | 'partner' | 'sandbox' | 'page';

/** The values of a pattern's `{names}`, decoded. */
export type RouteParams = Readonly<Record<string, string>>;

/** One path and how to respond to its requests. */
export interface Route<Context> {
  /** Methods it accepts; any other gets a 405. `'*'`: the handler checks the method itself. */
  readonly methods: readonly string[] | '*';
  /** An exact path. `{name}` matches one whole segment: `/adnet/publishers/details/{id}/`. */
  readonly pattern: string;
  /** Decides the shape of a 404, 405, 500 or 503. */
  readonly surface: Surface;
  /** Responds to a request. If it throws, the caller gets a 500, or a 503 when the database is unavailable. */
  handler(request: Request, context: Context, params: RouteParams): Promise<Response>;
  /** Records a request to which a scripted fault responds in the handler's place. */
  recordRefused?(request: Request, context: Context): Promise<void>;
}
