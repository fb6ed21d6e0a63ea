import { Licensed } from '../license.jsx';

/** The product itself. It runs only if `Licensed` shows it. */
async function Report() {
  const sale = { tokens: 1_200_000, price: 0.08 };
  return (
    <section className="card">
      <h2>Round 1</h2>
      <p>
        {sale.tokens.toLocaleString('en')} tokens at ${sale.price}
      </p>
      <p>
        Raised <strong>${(sale.tokens * sale.price).toLocaleString('en')}</strong>
      </p>
    </section>
  );
}

export default function Page() {
  return (
    <>
      <h1>Token sale report</h1>
      <p>What the sale of a token has raised.</p>
      <Licensed>
        <Report />
      </Licensed>
    </>
  );
}
