// The page as it is built (page/one-module.ts).

/** The page in HTML, packed by gzip, as base64. */
export const gzip: string
/** Its code and its style, as a Content-Security-Policy names them. */
export const script: string
export const style: string
/** Its entity tag. */
export const tag: string
