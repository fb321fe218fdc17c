const FLAGS: Readonly<Record<string, string>> = {
  apiKey: 'OFFERLET_API_KEY',
  baseUrl: '--network',
  basePath: '--base-path',
  allowedOrigins: '--allow-origin',
  addressHeader: '--address-header',
  version: '--version',
  environment: '--environment',
  emails: '--emails',
};

/** What the relay says of its options, said of the command's: `baseUrl: 'https://…'` becomes `--network https://…`. */
export function inFlags(sentence: string): string {
  // 'version' and 'environment' are plain words as well: they are options where they begin the sentence or have a value.
  return sentence
    .replace(/\b(\w+): '([^']*)'/g, (all, name: string, value: string) =>
      FLAGS[name] ? `${FLAGS[name]} ${value}` : all,
    )
    .replace(/^\w+/, (name) => FLAGS[name] ?? name)
    .replace(/\b(apiKey|baseUrl|basePath|allowedOrigins|addressHeader)\b/g, (name) => FLAGS[name] ?? name);
}
