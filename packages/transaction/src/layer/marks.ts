import { newVersion, type Version } from '@unikv/core'

// A prepared record has a version of its own, with `f` in front: the time in front of all others begins with 0 for the next 80 centuries. So a look
// at a version tells whether the record must be read.

/** The version of a record that is prepared to become this version. */
export function markOf(version: Version): Version {
  return `f${version.slice(1)}`
}

/** Whether a record with this version is prepared. */
export function isMark(version: Version | null | undefined): boolean {
  return version?.startsWith('f') === true
}

/** An id for a transaction, unlike all others. */
export function newId(): string {
  return newVersion()
}
