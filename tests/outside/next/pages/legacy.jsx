/** A page of the Pages Router. */
export default function Page({ value }) {
  return <p id="value">{value}</p>
}

export async function getStaticProps() {
  const response = await fetch(`${process.env.ORIGIN}/legacy`)
  return { props: { value: await response.text() }, revalidate: 3600 }
}
