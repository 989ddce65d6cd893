import { isStoreError, StoreError } from '@unikv/core'
import type { AnyStack } from '@unikv/core/adapter'
import { noRecords } from '../data/there.ts'
import { whatIsThere } from '../data/what-is-there.ts'

/**
 * Take the records of a source. Where it has none, the error says what is there instead.
 *
 * @throws {StoreError} `NOT_PREPARED`
 */
export async function filled<T>(source: AnyStack | undefined, take: () => Promise<T>): Promise<T> {
  try {
    return await take()
  } catch (error) {
    if (!isStoreError(error) || error.code !== 'NOT_PREPARED') throw error
    // A missing target is another matter.
    if (error.store !== undefined && error.store !== source?.name) throw error
    throw await toldEmpty(error, source)
  }
}

async function toldEmpty(error: StoreError, source: AnyStack | undefined): Promise<StoreError> {
  const isMissing = !error.message.startsWith('There are no records')
  const what = isMissing ? noRecords(error.message) : error.message.replace(/ Allow that.*/s, '')
  const instead = source && (await whatIsThere(source))
  const allow = isMissing ? '' : ' If that is right, use --allow-empty.'
  const { store, operation } = error
  const message = `${what}${instead === undefined ? '' : ` ${instead}`}${allow}`
  return new StoreError('NOT_PREPARED', message, { cause: error, store, operation })
}
