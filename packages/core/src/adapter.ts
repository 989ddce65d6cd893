// What stores, layers and tools that call a store themselves are made of: options, canonical keys, counters, records.
export { callOptions } from './call.ts'
export {
  afterPrefix,
  canonicalKey,
  checkSegment,
  compareKeys,
  type InternalKind,
  internalKey,
  isUserKey,
  keyBytes,
  namespacePrefix,
  nestedPrefix,
  portableKeyBytes,
  userKey,
} from './canonical-key.ts'
export { Deadlines, type Waiting } from './deadlines.ts'
export { errorCodes } from './errors.ts'
export { incremented } from './increment.ts'
export {
  decodeRecord,
  encodeRecord,
  isRecord,
  notARecord,
  recordExpiresAt,
  recordExpiresAtOffset,
  recordHeaderBytes,
  recordMagic,
  recordVersion,
  recordVersionOffset,
  writeRecord,
} from './record.ts'
