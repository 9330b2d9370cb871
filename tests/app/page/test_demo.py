"""What the page shows of a demo: that it is one, and how to end it."""

from tests.app.page.conftest import Browser


def test_a_demo_says_that_it_is_one_and_is_ended_there(browser: Browser) -> None:
    ended: list[bool] = []
    browser.app.state.end_demo = lambda: ended.append(True)
    browser.open("/app/today")
    assert browser.text.startswith("Demo.")
    assert browser.one("#demo a")["href"] == "/app/settings#model"
    browser.submit("End the demo")
    assert browser.text.startswith("The demo has ended")
    assert not browser.page.select("nav"), "no link leads to what is gone"
    assert ended == [True]


def test_elsewhere_there_is_no_demo_to_end(browser: Browser) -> None:
    browser.open("/app/today")
    assert "Demo" not in browser.text
    token = str(browser.one("[name=form_token]")["value"])
    assert browser.client.post("/app/demo/end", data={"form_token": token}).status_code == 404
