/** What stores hold. Node's `Buffer` is one; results may be any `Uint8Array`. */
export type Bytes = Uint8Array
