declare module '@marbec/web-auto-extractor' {
  export default class WebAutoExtractor {
    constructor(options: { addLocation: boolean; embedSource: string[] });
    parse(html: string): { readonly jsonld: Readonly<Record<string, readonly object[]>> };
  }
}

declare module '@adobe/structured-data-validator' {
  export default class Validator {
    validate(data: object): Promise<readonly { readonly severity: string; readonly issueMessage: string }[]>;
  }
}
