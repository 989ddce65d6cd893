import { cacheLife, cacheTag } from 'next/cache'
import { connection } from 'next/server'

/** A page that is made for each request, from a function with `'use cache'`. */
export default async function Page() {
  await connection()
  return <p id="value">{await value('ä'.repeat(300))}</p>
}

async function value(long) {
  'use cache'
  cacheTag('live')
  cacheLife('hours')
  return (await fetch(`${process.env.ORIGIN}/live?${long.length}`)).text()
}
