// The page as it is built (page/one-module.ts).

/** The page in HTML. */
export const html: string
/** Its code and its style, as a Content-Security-Policy names them. */
export const script: string
export const style: string
/** Its entity tag. */
export const tag: string
