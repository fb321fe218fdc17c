/** Returns the content of the `<style>` element, of which the build computes the hash: XML would read a `<` as a tag. */
export function styleText(css: string): string {
  return `/*<![CDATA[*/${css}/*]]>*/`;
}
