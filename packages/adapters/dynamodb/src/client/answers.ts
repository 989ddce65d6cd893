import { crc32 } from 'node:zlib'
import { oddAnswer, type Understanding } from '@unikv/core/http-client'

// The answers to its requests that the store understands. Any other comes from a proxy, or from a server that is not
// DynamoDB, and must never make a miss, an empty listing or a success.

/** The type of all answers of this protocol. */
const protocolType = /^application\/x-amz-json-1\.[01]\b/

/** Answers as DynamoDB gives them: JSON objects of its own type, with a checksum where it tells one. */
export const answers: Understanding = {
  server: 'DynamoDB',
  isAnswer: ({ 'content-type': type, 'x-amz-crc32': sum }, body) =>
    (type === undefined || protocolType.test(type)) &&
    /^\s*\{/.test(body.toString('latin1', 0, 16)) &&
    (sum === undefined || Number(sum) === crc32(body)),
}

/** The part of an answer that DynamoDB always gives. */
export function given<T>(part: T | undefined, isWrite: boolean): T {
  if (part !== undefined) return part
  throw oddAnswer('The endpoint', 'DynamoDB', isWrite)
}
