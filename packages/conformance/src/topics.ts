import type { Topic } from './topic.ts'
import { batches } from './topics/batches.ts'
import { binaryValues } from './topics/binary-values.ts'
import { cancellation } from './topics/cancellation.ts'
import { conditions } from './topics/conditions.ts'
import { cursors } from './topics/cursors.ts'
import { declared } from './topics/declared.ts'
import { errors } from './topics/errors.ts'
import { expiry } from './topics/expiry.ts'
import { increments } from './topics/increments.ts'
import { keyValueBatches } from './topics/key-value-batches.ts'
import { keys } from './topics/keys.ts'
import { lifecycle } from './topics/lifecycle.ts'
import { limits } from './topics/limits.ts'
import { mistakes } from './topics/mistakes.ts'
import { mutationSafety } from './topics/mutation-safety.ts'
import { namespaces } from './topics/namespaces.ts'
import { order } from './topics/order.ts'
import { ownership } from './topics/ownership.ts'
import { prefixesAndNeighbours } from './topics/prefixes.ts'
import { programOrder } from './topics/program-order.ts'
import { races } from './topics/races.ts'
import { readAndWrite } from './topics/read-and-write.ts'
import { scans } from './topics/scans.ts'
import { steps } from './topics/steps.ts'
import { timeToLive } from './topics/time-to-live.ts'
import { touching } from './topics/touching.ts'
import { undeclared } from './topics/undeclared.ts'
import { versionsOfRecords } from './topics/versions.ts'

/**
 * Topics in which the form of values matters: for `values: 'document'` where `bytes` pass the whole suite on the same
 * store. Keys, namespaces, listings, races and the order of calls are the same in both.
 */
export const topicsOfValues: RegExp =
  /declared|read and write|batch|condition|expiry|touch|increment|limits|mutation|error|version/

/** Topics in which a client matters that was handed in, or runs elsewhere, where one of our own passes the whole suite. */
export const topicsOfClients: RegExp =
  /declared|read and write|batch|condition|race|cancellation|error|lifecycle/

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

  scans,
  cursors,
  prefixesAndNeighbours,
  order,
  namespaces,

  versionsOfRecords,
  conditions,
  races,
  expiry,
  timeToLive,
  touching,
  increments,

  limits,
  mutationSafety,
  ownership,
  cancellation,
  errors,
  lifecycle,
]
