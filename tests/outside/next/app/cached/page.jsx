import { cacheLife, cacheTag } from 'next/cache'

/** A page that is cached as a whole, and a function in it with `'use cache'`. */
export default async function Page() {
  return <p id="value">{await value()}</p>
}

async function value() {
  'use cache'
  cacheTag('cached')
  cacheLife('hours')
  return (await fetch(`${process.env.ORIGIN}/cached`)).text()
}
