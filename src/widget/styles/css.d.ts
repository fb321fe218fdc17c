declare module '*.css?inline' {
  const css: string;
  export default css;
  /** `sha256-…` of it as the content of a `<style>` element, as `renderOffers` writes it. */
  export const hash: string;
}
