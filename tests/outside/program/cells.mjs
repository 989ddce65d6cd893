import { appendFileSync } from 'node:fs'

const {
  OUTSIDE_RESULTS,
  OUTSIDE_FOLDER,
  UNIKV_TEST_REDIS_URL: redisUrl,
  UNIKV_TEST_POSTGRES_URL: postgresUrl,
} = process.env

/** The stores of the matrix by their packages; those whose server is not there are left out. */
export function storesOf({ memory, lmdb, redis, postgres }) {
  return {
    memory: () => memory(),
    lmdb: () => lmdb({ path: `${OUTSIDE_FOLDER}/lmdb` }),
    ...(redisUrl && { redis: () => redis({ url: redisUrl, dataset: 'outside' }) }),
    ...(postgresUrl && { postgres: () => postgres({ url: postgresUrl, table: 'outside', prepare: true }) }),
  }
}

/** Run one cell, and note how it ended where the matrix looks for it. */
export async function cell(store, work) {
  try {
    await work()
    note({ store })
  } catch (error) {
    note({
      store,
      error: `${error?.stack}${error?.cause === undefined ? '' : `\ncause: ${error.cause?.stack}`}`,
    })
    throw error
  }
}

/** Run all cells of a program, one after the other. */
export async function runCells(stores, work) {
  for (const [name, open] of Object.entries(stores))
    await cell(name, () => work(open())).catch((error) => {
      process.stderr.write(`${error}\n`)
      process.exitCode = 1
    })
}

function note(result) {
  appendFileSync(OUTSIDE_RESULTS, `${JSON.stringify(result)}\n`)
}
