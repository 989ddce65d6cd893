import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Bytes } from '@unikv/core'

const gzipped = promisify(gzip)

/** Original bytes over bytes after gzip, of all objects together: how compressible the data really is. */
export async function gzipRatio(objects: readonly Bytes[]): Promise<number> {
  let original = 0
  let packed = 0
  for (const object of objects) {
    original += object.length
    packed += (await gzipped(object)).length
  }
  return original / packed
}
