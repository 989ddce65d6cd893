import { isUtf8 } from 'node:buffer'

/*
 * A document id is the canonical key in hexadecimal. Digits and lower-case letters are ordered alike by bytes, as CouchDB
 * orders ids in `_all_docs`, and by ICU, as it compares them in selectors; no id begins with `_`; and no proxy
 * normalises or unescapes a part of it.
 */

/** The document id of a canonical key. */
export function documentId(key: string): string {
  return Buffer.from(key).toString('hex')
}

/** The canonical key of a document id; `undefined` if it is none of ours. */
export function keyOfDocument(id: string): string | undefined {
  if (!/^(?:[0-9a-f]{2})+$/.test(id)) return undefined
  const bytes = Buffer.from(id, 'hex')
  return isUtf8(bytes) ? bytes.toString() : undefined
}
