/** Bytes, as stores hold them. Node's `Buffer` is one form; results may be any `Uint8Array`. */
export type Bytes = Uint8Array
