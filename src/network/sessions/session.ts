/** A session as its events need it. It never changes once it is open. */
export interface Session {
  readonly publisher_id: string;
  readonly session_id: string;
  readonly channel_id: string;
  readonly page_type: string;
  readonly widget_type: string;
  readonly widget_id: string;
  readonly is_sandbox: boolean;
  readonly has_email: boolean;
  readonly order_amount: string | null;
  readonly insertions: Readonly<Record<string, { readonly offer_id: string; readonly advertiser_id: string }>>;
  readonly created_at: Date;
}
