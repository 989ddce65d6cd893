/** A page with the cache of `fetch`. */
export default async function Page() {
  const options = { next: { revalidate: 3600, tags: ['fetched'] } }
  const response = await fetch(`${process.env.ORIGIN}/fetched`, options)
  return <p id="value">{await response.text()}</p>
}
