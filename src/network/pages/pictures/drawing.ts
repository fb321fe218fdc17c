/** Something drawn on a plain ground, 320 by 320. */
export interface Drawing {
  title: string;
  ground: string;
  body: string;
}
