// offerlet/client: offers for e-mails and apps, and events and conversions, from a server.

export {
  RecommendationsClient,
  type Conversion,
  type Recommendations,
  type RecommendationsClientOptions,
  type RecommendedGroup,
  type RecommendedOffer,
} from './client/RecommendationsClient.ts';
export type { EventReport, ReportableEvent, ReportOptions } from './client/reportEvents.ts';
export {
  ApiError,
  AuthError,
  ConflictError,
  NotFoundError,
  RateLimitError,
  UnreachableError,
  ValidationError,
} from './http/apiErrors.ts';
export type { CallOptions, ClientOptions, RequestNotice, ResponseNotice } from './http/connect.ts';
export type { BrandProperties, ConversionProperties, EventName, Target, WireEvent } from './wire/events.ts';
export type { Problem } from './wire/json.ts';
export type {
  Attributes,
  CostDetails,
  DisplayMode,
  IdentifiedRequest,
  OrderDetails,
  PlacementDetails,
  Purchase,
  UserDetails,
  View,
} from './wire/offers/request.ts';
export type { Advertiser, Asset, CtaDetails, Footer, LeftOut, Offer, PlacedOffer } from './wire/offers/response.ts';
