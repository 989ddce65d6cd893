// The code of the thread that decodes, as it is built (decode/vite.config.ts).

/** Packed by gzip, as base64. */
export const gzip: string
