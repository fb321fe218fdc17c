/** Where a chart is drawn. */
export interface Canvas {
  readonly width: number;
  readonly hasColor: boolean;
  readonly hasUnicode: boolean;
}
