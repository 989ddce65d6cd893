import type { Topic } from './topic.ts'
import { batches } from './topics/batches.ts'
import { binaryValues } from './topics/binary-values.ts'
import { cancellation } from './topics/cancellation.ts'
import { declared } from './topics/declared.ts'
import { errors } from './topics/errors.ts'
import { finding } from './topics/finding.ts'
import { halfAway } from './topics/half-away.ts'
import { keyValueBatches } from './topics/key-value-batches.ts'
import { cursors } from './topics/keys/cursors.ts'
import { keys } from './topics/keys/keys.ts'
import { namespaces } from './topics/keys/namespaces.ts'
import { order } from './topics/keys/order.ts'
import { prefixesAndNeighbours } from './topics/keys/prefixes.ts'
import { reverseListings } from './topics/keys/reverse.ts'
import { scans } from './topics/keys/scans.ts'
import { lifecycle } from './topics/lifecycle.ts'
import { mistakes } from './topics/mistakes.ts'
import { ownership } from './topics/ownership.ts'
import { programOrder } from './topics/program-order.ts'
import { readAndWrite } from './topics/read-and-write.ts'
import { steps } from './topics/steps.ts'
import { undeclared } from './topics/undeclared.ts'
import { conditions } from './topics/writes/conditions.ts'
import { expiry } from './topics/writes/expiry.ts'
import { expiryTimes } from './topics/writes/expiry-times.ts'
import { increments } from './topics/writes/increments.ts'
import { limits } from './topics/writes/limits.ts'
import { mixedBatches } from './topics/writes/mixed-batches.ts'
import { mutationSafety } from './topics/writes/mutation-safety.ts'
import { races } from './topics/writes/races.ts'
import { taking } from './topics/writes/taking.ts'
import { timeToLive } from './topics/writes/time-to-live.ts'
import { changesTogether } from './topics/writes/together.ts'
import { touching } from './topics/writes/touching.ts'
import { versionsOfRecords } from './topics/writes/versions.ts'

/**
 * Topics in which the form of values matters: for `values: 'document'` where `bytes` pass the whole suite on the same
 * store. Keys, namespaces, listings, races and the order of calls are the same in both.
 */
export const topicsOfValues: RegExp =
  /^(declared|read and write|batches$|write, and|conditions|finding|expiry$|increment|limits|mutation|errors)/

/** Topics in which a client matters that was handed in, or runs elsewhere, where one of our own passes the whole suite. */
export const topicsOfClients: RegExp =
  /^(declared|read and write|batches$|conditions|races|cancellation|errors|lifecycle)/

/**
 * Topics in which a server matters. The others are about what KeyValue alone does with calls before a store is asked: they pass on
 * memory, files, LMDB, SQLite and Redis, and take long where a request takes long.
 */
export const topicsOfServers: RegExp =
  /^(?!batches of KeyValue|mistakes of the caller|coalescing and program order|calls of several steps|outcomes while half)/

/**
 * Topics that test the requests of a store and the answers of its server. Topics about namespaces, resumed listings, opening and
 * closing, and the ownership of values are left out: they build on these, and they pass on stores with fast requests.
 */
export const topicsOfRequests: RegExp =
  /^(declared|read and write|binary values|batches$|write, and|conditions|races|keys|limits|scan and cursor|order and ranges|expiry$|touch|increment|errors|versions)/

/** The suite, topic by topic. */
export const topics: readonly Topic[] = [
  declared,
  undeclared,

  readAndWrite,
  binaryValues,
  keys,
  batches,
  keyValueBatches,
  mistakes,
  programOrder,
  steps,
  halfAway,

  scans,
  cursors,
  prefixesAndNeighbours,
  order,
  namespaces,
  reverseListings,

  versionsOfRecords,
  conditions,
  races,
  taking,
  mixedBatches,
  changesTogether,
  finding,
  expiry,
  timeToLive,
  expiryTimes,
  touching,
  increments,

  limits,
  mutationSafety,
  ownership,
  cancellation,
  errors,
  lifecycle,
]
